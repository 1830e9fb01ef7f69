"""OpenAI Realtime's shape of a call: HTTP route and data-channel events."""
