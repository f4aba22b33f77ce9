"""Features of audio signals: spectra, mel filters, cepstra, decibels, and the region of speech."""
