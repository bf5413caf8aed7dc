"""Does FastEdit's own engine write what transformers writes? For any folder, registered name or tiny architecture."""
