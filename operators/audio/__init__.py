"""Audio signals: spectra, mel filters, cepstra, decibels, the region of speech, other rates.

operators   spectrogram, power_spectrum, mel_filter_bank, mfcc, to_decibels, preemphasis,
            nonsilent_region, audio_resample
signals     signals: what is taken for a signal; framing: its windows; real_fft: their spectra
matrices    mel_scale and cosines: the matrices; axis_matrix: products along an axis
GPU         gpu_spectrogram
"""
