"""Contact sheets: `roles` says what an array shows, `sheet` draws a batch, `terminal` shows it."""
