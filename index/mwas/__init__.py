"""Metadata-wide associations (MWAS): tested, corrected, flagged and combined over projects."""
