package ask

// The protocol versions in which a shape changed. They are dates, so that they
// compare as text.
const (
	version20241105 = "2024-11-05" // samples and roots
	version20250326 = "2025-03-26" // audio in samples
	version20250618 = "2025-06-18" // elicitation
	version20251125 = "2025-11-25" // URL mode; all enums and defaults; tools and several blocks in samples
)
