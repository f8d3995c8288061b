/* A plain script that runs before the modules. It begins what takes long and needs none of them: the connection, and the
   texts. If a module fails, it shows a sentence and a button, never a blank page. */
(() => {
  const WORDS = {
    en: ["The page could not be loaded. Your game, if there is one, goes on at the server.", "Load again"],
    id: ["Halaman ini tidak dapat dimuat. Permainanmu, jika ada, tetap berjalan di server.", "Muat lagi"],
    de: ["Die Seite konnte nicht geladen werden. Läuft ein Spiel, geht es auf dem Server weiter.", "Neu laden"],
    es: ["No se pudo cargar la página. Si tienes una partida, sigue en el servidor.", "Volver a cargar"],
    fr: ["La page n’a pas pu être chargée. Ta partie, s’il y en a une, continue sur le serveur.", "Recharger"],
    it: ["Non è stato possibile caricare la pagina. La partita, se c’è, continua sul server.", "Ricarica"],
    nl: ["De pagina kon niet worden geladen. Een lopend spel gaat op de server door.", "Opnieuw laden"],
    uz: ["Sahifani yuklab boʻlmadi. Oʻyiningiz boʻlsa, u serverda davom etmoqda.", "Qayta yuklash"],
    pl: ["Nie udało się wczytać strony. Jeśli trwa twoja gra, toczy się dalej na serwerze.", "Wczytaj ponownie"],
    pt: ["Não foi possível carregar a página. Se tens um jogo a decorrer, ele continua no servidor.", "Carregar de novo"],
    kk: ["Бетті жүктеу мүмкін болмады. Ойының болса, ол серверде жалғасуда.", "Қайта жүктеу"],
    ru: ["Не удалось загрузить страницу. Если идёт игра, она продолжается на сервере.", "Загрузить снова"],
    uk: ["Не вдалося завантажити сторінку. Якщо триває гра, вона йде далі на сервері.", "Завантажити знову"],
    vi: ["Không tải được trang. Nếu bạn đang chơi, ván đấu vẫn tiếp tục trên máy chủ.", "Tải lại"],
  };
  // The texts are asked for at once, and not only when the modules have come that will use them.
  const wished = (navigator.languages || []).map((tag) => tag.split("-")[0]).find((each) => WORDS[each]);
  let kept;
  try { kept = localStorage.getItem("wordle-tournament.page-language"); } catch { /* blocked: the browser's language it is */ }
  const early = WORDS[kept] ? kept : wished;
  import(`./texts/${early || "en"}.js`).catch(() => {}); // messages.js copes without

  // The handshake takes as long as the modules. main.js takes the socket over, and says hello.
  const { protocol, host } = location;
  const server = document.querySelector("meta[name=server]").content || `${protocol === "https:" ? "wss:" : "ws:"}//${host}/ws`;
  try { window.earlySocket = new WebSocket(server); } catch { /* main.js tries again, and tells */ }

  function fail() {
    if ("started" in document.documentElement.dataset) return; // main.js tells of its own mistakes
    dispatchEvent(new Event("page-failed"));
    const code = early || "en";
    const line = document.createElement("p");
    const button = document.createElement("button");
    [line.textContent, button.textContent] = WORDS[code];
    button.className = "main";
    button.onclick = () => location.reload();
    const box = document.createElement("div");
    box.className = "middle";
    box.lang = code;
    box.setAttribute("role", "alert");
    box.append(line, button);
    const screen = document.getElementById("screen");
    if (screen) screen.replaceChildren(box);
    else document.body.append(box);
    document.body.dataset.screen = "failed";
  }
  addEventListener("error", fail, true); // also of a script that could not be loaded
  addEventListener("unhandledrejection", fail);
})();
