package limits

// Names, lists and URIs.
const (
	// MaxName is how many characters the name of a tool, a prompt or an argument of a prompt
	// may have. A longer one is refused when it is registered. MCP sets the limit for tools
	// (2025-11-25, server/tools, "Tool Names").
	MaxName = 128
	// MaxModelName is how many characters of a tool's name the APIs of some models accept. A
	// warning is logged when a tool with a longer name is registered, and the command makes none.
	MaxModelName = 64
	// PageSize is the default of a server's PageSize: how many items a page of a list has.
	PageSize = 50
	// MaxPageSize is the default of a server's MaxPageSize, and the maximum of both settings. A
	// client that asks for more items gets that many.
	MaxPageSize = 100
	// MaxPages is how many encoded pages a server keeps. Beyond it, all are dropped, and
	// encoded again on the next request. Otherwise, lists that depend on the principal could
	// fill the memory.
	MaxPages = 256
	// MaxURI is how many bytes a URI may have to match a template. No template matches a longer
	// one.
	MaxURI = 8 << 10
)

// Schemas, and the data that they validate.
const (
	// MaxSchemaDepth is how deep subschemas may be nested, directly or by references, and how
	// deep data may be nested. A deeper schema is refused when it is registered, deeper data
	// when it is validated.
	MaxSchemaDepth = 64
	// MaxSubschemas is how many subschemas a schema may have. A schema with more is refused
	// when it is registered.
	MaxSubschemas = 10_000
	// MaxViolations is how many violations a validation reports before it ends.
	MaxViolations = 20
	// CheckWork and CheckWorkPerByte limit the work of a validation: CheckWork for any data,
	// plus CheckWorkPerByte for each byte. Each visit of a value costs one unit, and one
	// more for each byte of a scalar. References and compositions may visit a value several
	// times. Data that costs more is refused.
	CheckWork        = 1 << 20
	CheckWorkPerByte = 64
	// CheckPatterns and CheckPatternsPerByte limit the work of patterns in a validation: the
	// larger of CheckPatterns and CheckPatternsPerByte for each byte of the data. A match costs
	// the bytes of the text times the instructions of the compiled pattern, which take at most
	// about 10 ns each. A pattern of 64 instructions can match any text.
	CheckPatterns        = 1 << 25
	CheckPatternsPerByte = 64
)
