"""Are the targets right? Each is verified against itself, and looked at for damage and for another prompt's answer."""
