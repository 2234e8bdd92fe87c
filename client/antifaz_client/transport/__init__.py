"""Transport: requests, forms, retries and following a job, for the client with and without asyncio.

Imported by the client. A token goes to no other origin than the one it was given for.
"""
