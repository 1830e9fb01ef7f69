"""What every HTTP route shares: access, limits, problem details, admission."""
