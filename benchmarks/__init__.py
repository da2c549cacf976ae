"""What the package is measured by. Not part of the wheel."""
