"""What runs on the inner side of the wall, by a bare interpreter; `frames` is used on both."""
