"""What a format must fulfill, and formats in packages of their own.

Imported by sniffing and reading, thus by the API and the workers, and by the tests of packages. Writers and the courier
never import it: releases are in our own formats alone.
"""
