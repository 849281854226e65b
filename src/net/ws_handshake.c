#include "net/ws.h"

#include <string.h>
#include <sys/random.h>

#include <openssl/evp.h>

bool ws_make_key(char key[WS_KEY_ROOM], struct error *err)
{
    unsigned char random[16];
    if (getrandom(random, sizeof random, 0) != (ssize_t)sizeof random)
        return error_set(err, ERROR_INTERNAL, NULL, "no random numbers for the WebSocket");
    EVP_EncodeBlock((unsigned char *)key, random, sizeof random); /* writes the NUL too */
    return true;
}

bool ws_make_accept(const char *key, char accept[WS_ACCEPT_ROOM], struct error *err)
{
    static const char suffix[] = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"; /* RFC 6455, section 1.3 */
    char text[256];
    unsigned char digest[20];
    size_t length = strlen(key);
    if (length > sizeof text - sizeof suffix)
        return error_set(err, ERROR_INPUT, NULL, "the Sec-WebSocket-Key is too long");
    memcpy(text, key, length);
    memcpy(text + length, suffix, sizeof suffix);
    if (EVP_Digest(text, length + sizeof suffix - 1, digest, NULL, EVP_sha1(), NULL) != 1)
        return error_set(err, ERROR_INTERNAL, NULL, "cannot compute a SHA-1 digest");
    EVP_EncodeBlock((unsigned char *)accept, digest, sizeof digest);
    return true;
}

bool ws_check_accept(const char *key, const char *accept, struct error *err)
{
    char expected[WS_ACCEPT_ROOM];
    if (!ws_make_accept(key, expected, err))
        return false;
    if (accept == NULL || strcmp(accept, expected) != 0)
        return error_set(err, ERROR_INPUT, NULL, "the server does not speak WebSocket: its Sec-WebSocket-Accept is %s",
                         accept != NULL ? "wrong" : "missing");
    return true;
}
