"""Labels: the space of generalized labels, recoding into it, and what a label loses or hides.

Imported by masking, methods, measures and attacks.
"""
