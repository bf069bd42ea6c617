/* All of refract: a tool's result in, the exact request for any model out.
 *
 *     rf_conversation_open("conversation.json", &conversation, &err);
 *     rf_model_open(NULL, "anthropic:claude-sonnet-5", &model, &err);
 *     rf_request_build(conversation, model, NULL, &request, &err);
 *     rf_request_write(request, STDOUT_FILENO, &err);
 *
 * A program runs with the release that it was compiled for and with later ones of the same name
 * (librefract.so.0). What may come with a later one:
 *
 * - Functions, and values at the end of an enum: what a program does not know, it passes over.
 * - Members at the end of a struct that begins with its `size`, which whoever fills it sets to its
 *   sizeof; the rest is 0. The library takes the size for what the program knows of it.
 * - Members at the end of a struct that the library fills for a callback. A program reads those,
 *   and makes none.
 *
 * All other structs stay as they are; docs/abi.txt lists every one. A callback that returns a bool
 * goes on by true and stops by false. */
#ifndef REFRACT_REFRACT_H
#define REFRACT_REFRACT_H

#include <refract/agent.h>
#include <refract/config.h>
#include <refract/content.h>
#include <refract/conversation.h>
#include <refract/doctor.h>
#include <refract/error.h>
#include <refract/gateway.h>
#include <refract/json.h>
#include <refract/keys.h>
#include <refract/learned.h>
#include <refract/mcp.h>
#include <refract/model.h>
#include <refract/models.h>
#include <refract/offline.h>
#include <refract/page.h>
#include <refract/preview.h>
#include <refract/probe.h>
#include <refract/process.h>
#include <refract/reply.h>
#include <refract/request.h>
#include <refract/respond.h>
#include <refract/send.h>
#include <refract/session.h>
#include <refract/str.h>
#include <refract/temporary.h>
#include <refract/tokens.h>
#include <refract/tools.h>
#include <refract/version.h>

#endif
