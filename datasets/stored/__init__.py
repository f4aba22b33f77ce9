"""Data sets of each storage format as samples; each module stands on a format's reader."""
