"""What is measured: each module here is an area of `rasputitsa bench`; what they share is in `kit`."""
