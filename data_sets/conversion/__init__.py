"""Converting a data set: its options, its plan, its tasks, and the engines that run them."""
