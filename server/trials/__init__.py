"""What tries a server out: frames that nobody should send."""
