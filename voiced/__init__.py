"""voiced: one daemon that answers calls, hears, thinks and speaks; nothing leaves the machine.

Whoever imports any part of it has imported this first, and so before any library: that is where
the libraries' own use of the network is switched off.
"""

from voiced.config.environment import silence_libraries

silence_libraries()
