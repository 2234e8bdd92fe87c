"""Metadata of releases in the vocabularies of its readers: portals, search engines, machine learning, archives.

Everything here is a pure function of a release as the API shows it, its card and the public address. Metadata never
discloses more than the release itself. Protection is also described in sentences, because readers drop unknown fields.

`profiles` lists all of them, `facts` is their input, `words` has their sentences. A new profile is one module with a
function of `facts.Facts`, and a row in `profiles.PROFILES`.
"""
