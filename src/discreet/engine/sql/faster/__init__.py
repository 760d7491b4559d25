"""What only makes an engine faster: each way may be off (`speed`); knows no engine."""
