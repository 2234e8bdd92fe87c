"""What leaves for other systems: checked addresses, webhooks with their deliveries, portals with their publications.

Imported by releases, operations and the courier. It connects to nobody: the courier sends and signs.
"""
