"""Displays of a fitted estimator, in the manner of scikit-learn's.

matplotlib is imported when something is plotted, not before.
"""
