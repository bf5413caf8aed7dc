"""Making targets: synthesis of edits, fine-tuning, export. Nothing here is imported by the structural path."""
