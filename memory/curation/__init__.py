"""What a person does with memory: correct, review, browse, set, replay."""
