"""voiced: one daemon that answers calls, hears, thinks and speaks; nothing leaves the machine."""
