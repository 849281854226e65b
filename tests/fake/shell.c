/* Commands in the fake's Pods: answers from a table, over WebSocket v5 as the exec client speaks it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "fake/internal.h"
#include "net/ws.h"

static void flush(struct fake_shell *shell)
{
    while (shell->ws != NULL && ws_wants_write(shell->ws)) {
        size_t length;
        const char *bytes = ws_output(shell->ws, &length);
        exchange_raw(shell->x, bytes, length);
        ws_output_sent(shell->ws, length);
    }
}

static void say(struct fake_shell *shell, int channel, const char *text)
{
    char message[4096] = {(char)channel};
    size_t length = strlen(text);
    assert_true(length < sizeof message);
    memcpy(message + 1, text, length);
    assert_true(ws_send_binary(shell->ws, message, length + 1, NULL));
}

static void run(struct fake_shell *shell, const struct fake_command *command)
{
    char status[512] = "{\"metadata\":{},\"status\":\"Success\"}";
    if (command->code != 0)
        snprintf(status, sizeof status,
                 "{\"metadata\":{},\"status\":\"Failure\",\"reason\":\"NonZeroExitCode\",\"details\":{\"causes\":[{\"reason\":\"ExitCode\",\"message\":\"%d\"}]}}",
                 command->code);
    if (command->out != NULL)
        say(shell, 1, command->out);
    if (command->err != NULL)
        say(shell, 2, command->err);
    say(shell, 3, status);
    ws_close(shell->ws, WS_CODE_NORMAL, NULL);
    flush(shell);
}

static void message(void *data, enum ws_kind kind, const char *bytes, size_t length)
{
    (void)data, (void)kind, (void)bytes, (void)length; /* standard input: the commands of the table read none */
}

static void bytes_came(void *data, struct exchange *x, const char *bytes, size_t length)
{
    struct fake_shell *shell = data;
    assert_true(ws_feed(shell->ws, bytes, length, NULL));
    flush(shell);
    if (ws_over(shell->ws))
        exchange_close(x);
}

void fake_shell_free(void *item)
{
    struct fake_shell *shell = item;
    ws_free(shell->ws);
    mem_free(shell);
}

void fake_shell_open(struct fake *fake, struct exchange *x)
{
    static const struct ws_callbacks callbacks = {.message = message};
    const struct fake_command *command = fake->commands;
    while (command != NULL && command->words != NULL && strstr(exchange_query(x), command->words) == NULL)
        command++;
    if (command == NULL || command->words == NULL) {
        exchange_reply(x, 404, NULL, "{\"kind\":\"Status\",\"code\":404,\"reason\":\"NotFound\",\"message\":\"the fake knows no such command\"}");
        return;
    }
    char accept[WS_ACCEPT_ROOM], head[512];
    struct fake_shell *shell = mem_zero(1, sizeof *shell);
    assert_non_null(shell);
    assert_true(vec_push(&fake->shells, shell));
    assert_true(ws_make_accept(exchange_header(x, "Sec-WebSocket-Key"), accept, NULL));
    shell->x = x;
    shell->ws = ws_new(WS_SERVER, &callbacks, shell, NULL);
    exchange_take_over(x, bytes_came, shell);
    snprintf(head, sizeof head,
             "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: %s\r\nSec-WebSocket-Protocol: v5.channel.k8s.io\r\n\r\n",
             accept);
    exchange_raw(x, head, strlen(head));
    run(shell, command);
}

void fake_set_commands(struct fake *fake, const struct fake_command *commands)
{
    fake->commands = commands;
}
