"""Elements at other places, unchanged: windows, orders, samples put together."""
