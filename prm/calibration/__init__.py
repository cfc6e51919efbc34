"""May a step scorer be trusted? Its scores held against labelled steps."""
