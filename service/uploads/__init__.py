"""Uploads: a form read as a stream, from the body straight into the cipher.

Imported by the routes of datasets. Plaintext never touches a disk. A slow sender is cut off by `service.http.pace`;
chunks are encrypted by `storage.blobs.blobs`.
"""
