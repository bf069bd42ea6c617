/* An MCP server of one's own: the reading tools for one folder, over standard input and output.
 *
 *     serve_tools FOLDER
 *
 * A host starts it as it would start "refract mcp --root FOLDER". */
#include <stdio.h>
#include <unistd.h>

#include <refract/refract.h>

int main(int argc, char **argv)
{
    struct rf_mcp_options *options = rf_mcp_options_new();
    struct rf_mcp_server *server = NULL;
    struct rf_err err;
    enum rf_code rc;
    if (argc > 1)
        rf_mcp_options_root(options, argv[1]);
    rc = rf_mcp_server_new(options, &server, &err);
    if (!rc)
        rc = rf_mcp_serve_stdio(server, STDIN_FILENO, STDOUT_FILENO, -1, &err);
    if (rc)
        fprintf(stderr, "%s\n", err.msg);
    rf_mcp_server_free(server);
    rf_mcp_options_free(options);
    rf_process_end_workers();
    return rc ? 1 : 0;
}
