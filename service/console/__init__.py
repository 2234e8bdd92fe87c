"""The console: pages for people, and the files that they are made of."""
