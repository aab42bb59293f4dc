package doctor

import (
	"context"
	"fmt"

	"github.com/bowline-mcp/bowline/internal/clients"
	"github.com/bowline-mcp/bowline/internal/naming"
)

// entries finds entries of AI clients that start a program, or an app, which is no longer
// there.
func (d *Doctor) entries(context.Context) (findings []Finding) {
	const subject = "clients"
	system, err := clients.ThisSystem()
	if err != nil {
		return []Finding{{Hint, subject, "the files of AI clients are unknown: " + err.Error(), ""}}
	}
	project := ""
	if d.App != nil {
		project = d.App.Root
	}
	installed := clients.Installed(system, project)
	for _, entry := range installed {
		missing := ""
		switch {
		case !entry.ProgramExists:
			missing = "the program " + entry.Command
		case !entry.FolderExists:
			missing = "the folder " + entry.Folder
		default:
			continue
		}
		findings = append(findings, Finding{Broken, subject,
			fmt.Sprintf("%s can't start %s, since %s doesn't exist (%s)", entry.Client.Name, naming.Printable(entry.Name), naming.Printable(missing), entry.File),
			fmt.Sprintf("run mcp install %s --client %s in the folder of the app, or take the entry out: mcp uninstall %[1]s --client %[2]s", entry.Handle, entry.Client.ID)})
	}
	if len(findings) == 0 && len(installed) > 0 {
		findings = append(findings, Finding{OK, subject, fmt.Sprintf("%d entries start apps that exist", len(installed)), ""})
	}
	return findings
}
