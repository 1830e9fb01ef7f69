"""What the operator sees: log, metrics, health, systemd."""
