"""Images at another size: what the operators that resample share, on either device."""
