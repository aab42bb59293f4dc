-- The types {id} and {key} are those of the database; see sqldb.Dialect.
CREATE TABLE "notes" (
	"id" {id},
	"title" TEXT NOT NULL,
	"body" TEXT NOT NULL,
	"due" TEXT,
	"status" TEXT NOT NULL,
	"done" BOOLEAN NOT NULL,
	"tags" TEXT NOT NULL,
	"author" {key} NOT NULL
);

CREATE INDEX "notes_of_owner" ON "notes" ("author", "id");
