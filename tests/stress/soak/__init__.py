"""A long stream, read by one process, and by many of which all but the last are killed."""
