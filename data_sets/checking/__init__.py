"""Checking data sets: whether two hold the same samples, and whether one is intact."""
