"""What the plugins that look at other pods say to people; computed only for what somebody prints."""
