/** Stand-in for `@std/http/unstable-route`: a router that tries its routes in the order given. */

/** Answers any request; `route()` makes one and takes one as the fallback. */
export type RequestHandler = (
  request: Request,
  info?: Deno.ServeHandlerInfo,
) => Response | Promise<Response>;

/** Answers the requests of one route, with what its pattern matched. */
export type Handler = (
  request: Request,
  params: URLPatternResult,
  info?: Deno.ServeHandlerInfo,
) => Response | Promise<Response>;

/** One route; without a method it answers every method. */
export interface Route {
  pattern: URLPattern;
  method?: string | string[];
  handler: Handler;
}

/** Makes a handler that gives a request to the first route that fits, else to the fallback. */
export function route(routes: Route[], defaultHandler: RequestHandler): RequestHandler {
  return (request, info) => {
    for (const { pattern, method, handler } of routes) {
      const params = allows(method, request.method) && pattern.exec(request.url);
      if (params) return handler(request, params, info);
    }
    return defaultHandler(request, info);
  };
}

function allows(wanted: Route["method"], method: string): boolean {
  if (!wanted) return true;
  return [wanted].flat().some((name) => name.toUpperCase() === method);
}
