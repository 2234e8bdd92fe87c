"""Blobs: bytes in encrypted chunks, their keys in the keyring, and the only ways to write and to read an original.

`blobs` cuts and encrypts (`ChunkCipher`), `chunks` only stores ciphertext. `intake` is for the service, `originals` for
workers alone; a contract keeps the service away from it.
"""
