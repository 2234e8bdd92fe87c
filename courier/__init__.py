"""The courier: the only process that connects to addresses chosen by users.

It claims work under a lease (`rounds`), signs webhooks (`signatures`, `webhooks`), publishes on portals
(`publications`) and connects (`calls`). Nothing imports it, and its role in the database cannot read originals.
"""
