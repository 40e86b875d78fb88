tier voice
