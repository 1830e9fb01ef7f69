"""pipecat's shape of a call: its offers, and RTVI on the data channel."""
