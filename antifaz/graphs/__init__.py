"""Graphs: their parts and their data.

`graph` is the data, `parts` the kinds of part. One file for each part in `methods`, `guarantees`, `risk`, `utility` and
`attacks`; what several share is in the other rooms.
"""
