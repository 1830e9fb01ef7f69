"""Cartesia's Sonic as a voice: a service beside the daemon, spoken to over one WebSocket."""
