"""Where in a text the committed answer is: boxes, announcements, closing sentences; what takes one back."""
