"""The settings of a daemon that lets anybody in as often as they come: the head of a file.

Its last table is open: what follows goes into [rtc]. It does not know who comes.
"""

OPEN_DOOR = """\
[http]
port = 0
address_per_minute = 0
key_per_minute = 0
[rtc]
port = 0
half_open_per_address = 64
"""
