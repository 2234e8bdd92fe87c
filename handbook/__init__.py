"""The handbook: writes the pages of docs that follow from the code, such as the reference of parts and the map of
rooms.

For developers (`make docs`); nothing imports it, and no process of the service runs it.
"""
