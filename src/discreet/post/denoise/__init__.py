"""One denoiser per file, and the brake that keeps the raw numbers where none of them helps."""
