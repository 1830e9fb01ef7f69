"""`voiced talk`: a call from this machine's own microphone and loudspeaker."""
