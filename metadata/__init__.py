"""Metadata of releases, in the words of those who read it: portals, search engines, machine learners, archives.

Everything here is a pure function of a release as the API shows it, its card and the public address. Nothing is said
that the release itself does not show. What protects people is said in words too: readers drop what they do not know.
"""
