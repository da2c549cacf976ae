"""
A stream that comes sorted
==========================

To be written.
"""
